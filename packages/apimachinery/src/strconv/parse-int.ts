/**
 * Parses a decimal integer with an optional sign as Go's strconv does. Returns undefined when the text is not one, or when it exceeds 64
 * bits.
 */
export function parseInt64(text: string): bigint | undefined {
  if (!/^[-+]?[0-9]+$/.test(text)) return undefined;
  const significant = text.replace(/^([-+]?)0+(?=[0-9])/, '$1');
  // The length is checked first, so that a long text is not converted.
  if (significant.length > 20) return undefined;
  const value = BigInt(significant.startsWith('+') ? significant.slice(1) : significant);
  return BigInt.asIntN(64, value) === value ? value : undefined;
}
