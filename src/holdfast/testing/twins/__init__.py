"""What tests of the two worlds do differently, as twins with the same names."""
