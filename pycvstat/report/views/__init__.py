"""One view per kind of result: its title, question, sections, pictures and methods text.

A class of results names the file here that holds its view, in `view`. A view registers itself
(``class MyView(View, of=MyResult)``), so a result of your own needs nothing else.
"""
