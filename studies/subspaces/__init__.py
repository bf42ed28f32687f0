"""A study of random subspaces: where ensembles beat a single classifier, and with which sizes (`make subspaces`)."""
