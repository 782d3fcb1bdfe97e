/** The version of Coxswain: that of the package. */
export const coxswainVersion = 'v0.0.0';
