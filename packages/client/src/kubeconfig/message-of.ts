/** What an error says, to be said again by another that has it as its cause. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
