#pragma once

#include "troupe/model/product.hpp"

namespace troupe {

/// Whether a product is faster with copies of its factors whose rows do not lie a large power of
/// two apart: where the library reads them in place (library_product.hpp), rows 2 KiB apart or a
/// multiple of that share a few sets of the first cache and drive each other out. A matter of the
/// processor, the shape and the strides only, so that a run repeated gives the same bits.
bool worth_spacing(const Factor<float>& a, const Factor<float>& b, const Result<float>& c);

/// c = a b, by the library, slice by slice of the inner size. What is read down its columns, that
/// is `a` where it is transposed and `b` where it is not, is copied first, its rows a cache line
/// further apart. On the calling thread alone, which keeps up to 8 MB for it.
/// @pre has_library_product(); sizes fit, c does not overlap a or b
void spaced_product(const Factor<float>& a, const Factor<float>& b, const Result<float>& c,
                    WriteMode write);

} // namespace troupe
