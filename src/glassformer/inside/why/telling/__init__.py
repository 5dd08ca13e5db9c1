"""Why a model answered so, told: in sentences, by rules for when they may be trusted, and as a page."""
