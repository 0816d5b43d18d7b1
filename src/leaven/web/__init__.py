"""What the HTTP servers share: a socket, starting and ending, bounded bodies, errors."""
