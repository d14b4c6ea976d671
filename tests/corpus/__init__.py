"""What gnri answers, kept in files, to be compared after its inside has been changed."""
