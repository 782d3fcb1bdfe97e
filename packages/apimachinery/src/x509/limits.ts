/**
 * The maximum number of bytes of a certificate, a request or a key. Parsing as many takes some 20 ms at worst, when they consist of
 * names; a certificate for a thousand names has a quarter of that.
 */
export const maxX509Bytes = 128 * 1024;
