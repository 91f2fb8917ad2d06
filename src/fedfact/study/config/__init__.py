"""What a study is: its keys, its arms and its agents; read, checked and written."""
