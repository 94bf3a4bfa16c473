-- The schemas and rights that libs/stack/src/mysql.ts gives its private server. Run once by the database image, on an
-- empty data folder, after it has created the user.
CREATE DATABASE IF NOT EXISTS inventory;
CREATE DATABASE IF NOT EXISTS orders;
CREATE DATABASE IF NOT EXISTS accounts;
GRANT ALL ON inventory.* TO 'lab'@'%';
GRANT ALL ON orders.* TO 'lab'@'%';
GRANT ALL ON accounts.* TO 'lab'@'%';
-- Who waits for whom is read from the server.
GRANT PROCESS ON *.* TO 'lab'@'%';
GRANT SELECT ON performance_schema.* TO 'lab'@'%';
