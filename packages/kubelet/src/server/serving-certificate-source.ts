/** A certificate and its key, as PEM. */
export interface ServingPair {
  readonly cert: string;
  readonly key: string;
}

/** A serving certificate that is renewed while the kubelet runs. */
export interface ServingCertificateSource {
  /** Undefined as long as there is none. */
  current(): ServingPair | undefined;
  /** Calls `onChange` with each further certificate. Returns a function that ends this. */
  subscribe(onChange: (pair: ServingPair) => void): () => void;
}
