"""What runs in the candidate's process, beside the candidate itself: nothing here may know a test."""
