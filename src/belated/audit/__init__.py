"""What theory says of a run: its assumptions, its proof step by step, its growth, and how near the worst case comes."""
