//! Messages of rustc about the mistakes under `tests/ui/fail`.

use std::path::Path;

use super::is_quoted;

#[test]
fn types_refuse_it_at_the_users_tokens() {
    for (mistake, case) in [
        ("a tile and a map of other boxes, elements or swizzles", "tensor_maps/another_box"),
        ("a layout that the copy engine does not know", "tensor_maps/padded_box"),
        ("a tile that a warpgroup does not multiply", "tensor/tile_of_plain_rows"),
        ("a stage given back twice", "borrow/row_released_twice"),
        ("a stage used after it was given back", "borrow/row_after_release"),
        ("a barrier copied", "borrow/barrier_is_copied"),
        ("a tensor written while a map of it lives", "tensor_maps/written_while_mapped"),
    ] {
        let path = format!("tests/ui/fail/{case}.stderr");
        let said = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(&path)).expect(&path);
        is_quoted(mistake, &said);
    }
}
