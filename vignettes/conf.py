"""Sphinx: the vignettes, run by myst-nb, and the reference of all public names."""

from __future__ import annotations

import os
import sys
from importlib.metadata import version as installed
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
# what a vignette's kernel is started with: the same package, and no window for figures
os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])
os.environ["MPLBACKEND"] = "agg"
os.environ["JUPYTER_PATH"] = str(HERE)  # whose kernels/ says how it is started

project = "pycvstat"
author = "pycvstat contributors"
version = release = installed("pycvstat")
extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc", "pages", "made"]
source_suffix = {".md": "myst-nb", ".py": "myst-nb", ".rst": "restructuredtext"}
exclude_patterns = ["beside_r/*.py", "kernels", "templates", "record*_*.py"]
exclude_patterns += ["conf.py", "made.py", "pages.py", "reference.py", "shown.py"]

nb_custom_formats = {".py": "pages.notebook"}
nb_execution_mode = "force"
nb_execution_show_tb = True
nb_execution_timeout = 300
nb_output_stderr = "warn"
nb_merge_streams = True
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["mystnb.lexer"]

autodoc_typehints = "none"  # the docstrings name types in words
autodoc_preserve_defaults = True
add_module_names = False
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
default_role = "code"  # what a docstring says in single backticks
nitpicky = True

html_theme = "pydata_sphinx_theme"
html_title = "pycvstat"
html_math_renderer = "mathml"
templates_path = ["templates"]
html_sidebars = {"reference/*": ["names.html"]}  # not the tree of all pages, on each of them
ALONE = ("reference", "pictures", "gallery", "faults", "contributing", "changes", "search")
html_sidebars |= {page: [] for page in ALONE}
html_use_index = False
html_domain_indices = False
html_static_path = ["vignettes.css"]
html_css_files = ["vignettes.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "show_toc_level": 2,
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
