/** The inventory app, whose requests can also choose the npm packages: started as the replicas of `lab limit`. */
import './add-peers';
import '../../apps/inventory/src/main';
