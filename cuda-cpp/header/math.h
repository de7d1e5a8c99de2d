// What a kernel can use of this header needs no #include. This file is for those that have one.
#pragma once
