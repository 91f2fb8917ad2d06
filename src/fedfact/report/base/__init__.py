"""What every figure and page is made of."""
