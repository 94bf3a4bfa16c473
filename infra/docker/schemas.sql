-- The same schemas and rights as in libs/stack/src/mysql.ts. The database image runs this once, on an empty data folder,
-- after it has created the user.
CREATE DATABASE IF NOT EXISTS inventory;
CREATE DATABASE IF NOT EXISTS orders;
CREATE DATABASE IF NOT EXISTS accounts;
GRANT ALL ON inventory.* TO 'lab'@'%';
GRANT ALL ON orders.* TO 'lab'@'%';
GRANT ALL ON accounts.* TO 'lab'@'%';
-- For lock waits and deadlocks: SHOW ENGINE INNODB STATUS, performance_schema.
GRANT PROCESS ON *.* TO 'lab'@'%';
GRANT SELECT ON performance_schema.* TO 'lab'@'%';
