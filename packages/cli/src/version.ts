/** The version of Coxswain, equal to that of the package. */
export const coxswainVersion = 'v0.0.0';
