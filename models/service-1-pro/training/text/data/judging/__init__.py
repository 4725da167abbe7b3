"""Is a reply, an answer, a source right for this; for or against."""
