// How many replicas a thing has, whatever it is.
export { ScaleClient, type ScaleClientOptions, type ScaleInterface, UnknownScaleError } from './scale-client.ts';
