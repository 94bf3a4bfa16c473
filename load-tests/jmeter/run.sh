#!/bin/sh
# Runs JMeter with the given arguments: that of Debian and Ubuntu with DebianJMeter.java, any other as it is.
here=$(dirname "$0")
debian=/usr/share/jmeter/bin/ApacheJMeter.jar
if [ "$(command -v jmeter)" = /usr/bin/jmeter ] && [ -f "$debian" ]; then
  exec java -cp "$debian" "$here/DebianJMeter.java" "$@"
fi
exec jmeter "$@"
