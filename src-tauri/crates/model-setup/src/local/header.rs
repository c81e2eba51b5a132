//! Reads the header of a model file that the user named, and says with its path why it cannot be used.

use std::path::PathBuf;
use vestibule_app_protocol::{InputProblem, Problem};
use vestibule_models::{GgufHeader, read_gguf};

/// Reads the header of a GGUF file, within bounds.
///
/// # Errors
/// When there is no such file, it cannot be read, or it is no whole GGUF file.
pub async fn read_header(file: &str) -> Result<GgufHeader, Problem> {
    let unusable = |detail: String| {
        Problem::Input(InputProblem::ModelFileUnusable {
            file: file.to_owned(),
            detail,
        })
    };
    let path = PathBuf::from(file);
    if !path.is_absolute() {
        return Err(unusable("its path must be whole, from / on".to_owned()));
    }
    let read = tokio::task::spawn_blocking(move || read_gguf(&path)).await;
    match read {
        Ok(read) => read.map_err(|error| unusable(error.to_string())),
        Err(error) => Err(unusable(error.to_string())),
    }
}
