#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Serves a test picture by RTSP, as a camera does: rtsp-server.py PORT [--password PW] [--size WxH] [--busy]

Prints "ready" when it listens. The stream has a keyframe every second. With --busy the camera encodes all the time, so that a
client waits for the next keyframe.
"""
import argparse
import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer

parser = argparse.ArgumentParser()
parser.add_argument("port", type=int)
parser.add_argument("--password")
parser.add_argument("--size", default="320x240")
parser.add_argument("--busy", action="store_true")
arguments = parser.parse_args()
Gst.init(None)

width, height = arguments.size.split("x")
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch(
    f"( videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width={width},height={height},framerate=25/1"
    " ! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=25 ! rtph264pay name=pay0 pt=96 )")
factory.set_shared(True)
server = GstRtspServer.RTSPServer()
server.set_address("127.0.0.1")
server.set_service(str(arguments.port))
if arguments.password:
    auth = GstRtspServer.RTSPAuth()
    token = GstRtspServer.RTSPToken()
    token.set_string("media.factory.role", "user")
    auth.add_basic(GstRtspServer.RTSPAuth.make_basic("user", arguments.password), token)
    server.set_auth(auth)
    permissions = GstRtspServer.RTSPPermissions()
    permissions.add_permission_for_role("user", "media.factory.access", True)
    permissions.add_permission_for_role("user", "media.factory.construct", True)
    factory.set_permissions(permissions)
server.get_mount_points().add_factory("/camera", factory)
if not server.attach(None):
    raise SystemExit(f"port {arguments.port} is taken")
if arguments.busy:
    viewer = Gst.parse_launch(
        f"rtspsrc location=rtsp://127.0.0.1:{arguments.port}/camera protocols=tcp ! fakesink")
    viewer.set_state(Gst.State.PLAYING)
print("ready", flush=True)
GLib.MainLoop().run()
