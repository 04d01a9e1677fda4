"""The trusted side: runs the tests, with stand-ins for what the program defines."""
