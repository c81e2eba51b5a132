//! Bundles as the reference packer writes them, and hostile archives.

mod archives;
mod hostile;
mod launches;
mod values;
