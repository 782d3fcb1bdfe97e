/** Returns the message of a thrown value: that of an error, or the text of any other value. */
export const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
