// The owner.
