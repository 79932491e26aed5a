"""Writing a document: plain text, Markdown, HTML, LaTeX, PDF and Word."""
