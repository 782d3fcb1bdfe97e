/**
 * The most bytes that a certificate, a request or a key may have. To read as many takes some 20 ms at worst, when they are
 * nothing but names; a certificate for a thousand names has a quarter of that.
 */
export const maxX509Bytes = 128 * 1024;
