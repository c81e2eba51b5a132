//! Elicitation: a server asks the user for values (a form) or to visit a page (a URL).

pub(crate) mod form;
pub(crate) mod url;
pub(crate) mod visits;
