"""Reports: findings as sentences, pages and a corrected copy."""
