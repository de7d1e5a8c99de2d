//! Cubes: textures of six square faces, which are read in a direction from the center ("Cubemap Textures" of the CUDA C++
//! Programming Guide). A face is read like any layer: an H200 does not filter across edges unless a flag of the texture asks for it.

/// An axis of space, and whether it points the other way.
type Axis = (usize, bool);

/// The axes along the rows and the columns of each face. Two faces follow each other for each axis of space, of which the second
/// is on its negative side.
const FACES: [[Axis; 2]; 6] = [
    [(2, true), (1, true)],
    [(2, false), (1, true)],
    [(0, false), (2, false)],
    [(0, false), (2, true)],
    [(0, false), (1, true)],
    [(0, true), (1, true)],
];

/// The number of faces.
pub(crate) const SIDES: u32 = FACES.len() as u32;

/// Returns the face in a direction, and the place on it, from 0 to 1. Of equal axes, an H200 takes z before y before x.
pub(crate) fn face(direction: [f32; 3]) -> (u32, [f32; 2]) {
    let sizes = direction.map(f32::abs);
    let axis = match sizes {
        [x, y, z] if z >= x && z >= y => 2,
        [x, y, _] if y >= x => 1,
        _ => 0,
    };
    let face = 2 * axis + usize::from(direction[axis] < 0.0);
    let along = |(axis, reversed): Axis| if reversed { -direction[axis] } else { direction[axis] };
    (face as u32, FACES[face].map(|part| (along(part) * (1.0 / sizes[axis]) + 1.0) / 2.0))
}
