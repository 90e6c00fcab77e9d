"""Pictures of what a model does: SVG drawn from plain numbers, for reports, notebooks and pages."""
