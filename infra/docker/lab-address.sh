#!/bin/sh
# The nginx image runs this after it has rendered the templates. Without the lab there is no lab address.
[ "$LAB_ENABLED" = true ] || rm -f /etc/nginx/conf.d/lab.conf
