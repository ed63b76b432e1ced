"""Play by post: orders, reminders, wishes, what happened since."""
