//! The browser of a scenario. Its authorization servers sign anybody in at once, so a page is visited by asking for it
//! and for where it sends the browser next, which is our own callback.

use std::time::Duration;

use url::Url;
use vestibule_egress::{Egress, HeaderMap, HttpAnswer, Method, NetworkReach, header::LOCATION};

use super::Result;

const WAIT: Duration = Duration::from_secs(10);

/// Visits a page, and the one it leads to.
pub(crate) async fn visit(page: &Url) -> Result<()> {
    let answer = get(page).await?;
    let next = answer.headers().get(LOCATION).ok_or("the page leads nowhere")?;
    get(&page.join(next.to_str()?)?).await?;
    Ok(())
}

/// What answers at an address.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the browser, and no part of the host"
)]
pub(crate) async fn get(address: &Url) -> Result<HttpAnswer> {
    let egress = Egress::new(address, NetworkReach::Local)?;
    let answer = egress.send(Method::GET, address, HeaderMap::new(), None, WAIT);
    Ok(answer.await?)
}
