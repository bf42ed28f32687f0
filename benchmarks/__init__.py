"""Side by side with what people use today; see README.md here for the rules."""
