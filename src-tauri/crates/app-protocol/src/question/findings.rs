//! What was found in the arguments of a call before it was asked about, besides values of other servers and places
//! outside the shared folders.

use serde::Serialize;

/// What was found. The default says that there was nothing to find.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct ArgumentFindings {
    /// Paths that a link leads to another place.
    pub links: Vec<PathFinding>,
    /// Places in Vestibule's own data or configuration. Then it is asked, whatever was allowed.
    pub own_data: Vec<PathFinding>,
    /// Where the paths lead could not be found out. Then it is asked, whatever was allowed.
    pub paths_unchecked: bool,
    /// There was too much to compare with what other servers returned. Then it is asked, whatever was allowed.
    pub flow_unchecked: bool,
    /// The model wrote the call as text instead of making it. Then it is asked, whatever was allowed.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub as_text: bool,
}

/// A path in the arguments of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ts_rs::TS)]
pub struct PathFinding {
    /// Where in the arguments, member by member.
    pub at: Vec<String>,
    pub value: String,
    /// Where that leads, with links followed.
    pub place: String,
}
