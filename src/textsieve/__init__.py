"""textsieve: the few words that matter in labelled text, a small model on them, and the reason for each answer."""
