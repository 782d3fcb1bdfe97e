/** From a Corefile to plug-ins that are ready to be started. */
export {
  buildConfiguration,
  type Configuration,
  type PagesByAddress,
  type Surroundings,
} from './build-configuration.ts';
