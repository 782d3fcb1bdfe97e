/** A promise with its functions; `Promise.withResolvers` of newer versions of Node. */
export function pending<T>(): {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: Error): void;
} {
  let resolve = (_: T): void => {};
  let reject = (_: Error): void => {};
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
