"""Tables, figures and HTML made from a :class:`fable_solve.solver.result.Result`."""
