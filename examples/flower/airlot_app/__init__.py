"""A Flower app in which airlot decides who takes part."""
