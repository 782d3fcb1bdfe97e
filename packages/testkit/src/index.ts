/** `@coxswain/testkit`: a cluster inside a test. */
export {};
