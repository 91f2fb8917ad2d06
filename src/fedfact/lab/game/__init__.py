"""The game that rules set: who said and used what, and what each agent gets and pays."""
