// Reads and sets the number of replicas of any scalable resource.
export { ScaleClient, type ScaleClientOptions, type ScaleInterface, UnknownScaleError } from './scale-client.ts';
