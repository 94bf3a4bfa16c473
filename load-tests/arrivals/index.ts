export { ARRIVALS, arrivalsOf, dueTimes, type Arrivals, type OpenLoop } from './due-times';
export { offer, type Arrival, type Offered } from './offer';
