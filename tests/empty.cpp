// A target must have a source: this one has the headers that the tests share.
