import { randomInt } from 'node:crypto';

/** The id of a query to another server. Who cannot guess it cannot send false answers (RFC 5452). */
export const newId = (): number => randomInt(0x10000);

/** The labels of a name that nobody else asks for. */
export const newLabels = (): string[] => [`${randomInt(maxLabel)}`, `${randomInt(maxLabel)}`];

const maxLabel = 2 ** 47;
