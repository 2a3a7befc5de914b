"""An attack on the checker: programs of every pair of features, and an oracle for each proved one.

`make attack SECONDS=600` writes programs that combine every two features of the language and of the
mechanisms, and some at random; checks them; runs what was proved on neighbouring data along the
same outputs; and compares what the draws lost, exactly, with what was proved.
"""
