//! Bundles as they are made, and archives that were made to break whoever reads them.

mod archives;
mod hostile;
mod launches;
mod values;
