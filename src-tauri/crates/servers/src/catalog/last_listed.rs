//! The tools that a server listed last, to be looked at while it is not connected. Their definitions are the accepted ones
//! in the store; kept beside them are only the names of the listing and its time. A definition whose row was changed from
//! outside is left out.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use vestibule_protocol::ServerId;
use vestibule_protocol::json::RawJsonBuf;
use vestibule_protocol::mcp::Tool;
use vestibule_schema::Unchecked;
use vestibule_store::{ApprovedTool, Store, StoreError};

use super::tools::{CatalogTool, ToolSchemas};
use crate::server::handle::ServerHandle;
use vestibule_app_protocol::Problem;

/// The names that one listing had, as the database keeps them.
#[derive(Serialize, Deserialize)]
struct ListedNames {
    /// When it was made, in milliseconds since 1970.
    at_ms: i64,
    tools: Vec<String>,
}

/// The tools of the last listing.
pub(crate) struct LastListed {
    /// When they were listed, in milliseconds since 1970.
    pub(crate) at_ms: i64,
    pub(crate) tools: Vec<CatalogTool>,
}

fn key(server: ServerId) -> String {
    format!("listed.{server}")
}

/// Keeps the names of tools that were just listed. A failure only costs the view of a stopped server.
pub(super) async fn remember(server: &ServerHandle, tools: &[CatalogTool]) {
    let listing = ListedNames {
        at_ms: Timestamp::now().as_millisecond(),
        tools: tools.iter().map(|tool| tool.tool.name.clone()).collect(),
    };
    let value = serde_json::to_value(listing).expect("names are plain data");
    let store = &server.context().options.store;
    if let Err(error) = store.put_setting(&key(server.id()), value).await {
        tracing::warn!(%error, "failed to persist which tools were listed");
    }
}

/// The tools of the last listing in its order, each with its accepted definition; `None` where nothing was listed yet.
pub(crate) async fn recall(server: &ServerHandle) -> Result<Option<LastListed>, Problem> {
    let store = &server.context().options.store;
    let kept = store.setting(&key(server.id())).await?;
    let Some(listing) = kept.and_then(|value| serde_json::from_value::<ListedNames>(value).ok()) else {
        return Ok(None);
    };
    let genuine = genuine_tools(store, server.id()).await?;
    let find = |name: &String| {
        genuine
            .iter()
            .find(|tool| tool.name == *name)
            .and_then(catalog_tool)
    };
    Ok(Some(LastListed {
        at_ms: listing.at_ms,
        tools: listing.tools.iter().filter_map(find).collect(),
    }))
}

/// Forgets the listing of a removed server.
///
/// # Errors
/// When the store cannot be written.
pub async fn forget(store: &Store, server: ServerId) -> Result<(), StoreError> {
    store.remove_setting(&key(server)).await
}

fn catalog_tool(accepted: &ApprovedTool) -> Option<CatalogTool> {
    let tool = Tool::read(RawJsonBuf::write(&accepted.definition).ok()?.as_raw()).ok()?;
    // Its schemas are built when it is listed again; nothing is checked against them until then.
    let schemas = ToolSchemas {
        input: Err(Unchecked::Busy),
        output: None,
    };
    Some(CatalogTool::new(tool, schemas, None))
}

/// The definitions of a server whose signatures are right.
async fn genuine_tools(store: &Store, server: ServerId) -> Result<Vec<ApprovedTool>, Problem> {
    let rows = store.checked_tools(Some(server)).await?;
    Ok(rows
        .into_iter()
        .filter(|checked| checked.fault.is_none())
        .filter_map(|checked| checked.row)
        .collect())
}
